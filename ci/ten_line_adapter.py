"""An adapter of ten lines: it passes requests on to UPSTREAM, and answers back, on a free port."""

import http.server
import json
import os
import urllib.error
import urllib.request


class Adapter(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        asked.pop("metadata", None)  # the house rule: nothing about our users goes upstream
        head = {"content-type": "application/json", "anthropic-version": "2023-06-01"}
        request = urllib.request.Request(os.environ["UPSTREAM"] + self.path, json.dumps(asked).encode(), head)
        try:
            answer = urllib.request.urlopen(request)
        except urllib.error.HTTPError as refusal:
            answer = refusal
        self.send_response(answer.status)
        self.send_header("content-type", answer.headers["content-type"])
        self.end_headers()
        self.wfile.write(answer.read())

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", int(os.environ.get("PORT", 0))), Adapter)
server.handle_error = lambda *_: None  # a client may leave early
print(f"http://127.0.0.1:{server.server_port}", flush=True)
server.serve_forever()
