// Preloaded into gateways that listen on every address: they are to listen on this machine alone.
const { Server } = require("node:net");
const listen = Server.prototype.listen;
Server.prototype.listen = function (first, ...rest) {
  if (typeof first === "object" && first !== null) first.host = "127.0.0.1";
  else if (typeof rest[0] === "string") rest[0] = "127.0.0.1";
  else rest.unshift("127.0.0.1");
  return listen.call(this, first, ...rest);
};
