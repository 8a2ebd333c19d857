#!/usr/bin/env node
// Any Node.js, however old, can run these lines. They use only ES5 and load nothing of the program before the version
// check.
"use strict";

var needed = require("../package.json").engines.node.replace(/^[^\d]+/, "");
var longestLine = 4 * 1024 * 1024;

function isOlder(version, than) {
  var have = version.split(".").map(Number);
  var want = than.split(".").map(Number);
  for (var part = 0; part < want.length; part += 1)
    if (have[part] !== want[part]) return have[part] < want[part];
  return false;
}

/** A client starts the server without knowing its Node.js version, and shows the message in the first answer. */
function isAskedForStdio() {
  var words = process.argv.slice(2).filter(function (word) {
    return word !== "--debug";
  });
  if (words.length > 0) return words[0] === "stdio";
  return process.env.THOUGHTBOX_TRANSPORT !== "http" && !process.stdin.isTTY;
}

function readId(line) {
  try {
    var id = JSON.parse(line).id;
    return typeof id === "string" || typeof id === "number" ? id : null;
  } catch (_notJson) {
    return null;
  }
}

function refuseOverStdio(sentence) {
  var received = "";
  var isAnswered = false;
  function answer(requestId) {
    if (isAnswered) return;
    isAnswered = true;
    var refusal = { jsonrpc: "2.0", id: requestId, error: { code: -32000, message: sentence } };
    process.stdout.write(JSON.stringify(refusal) + "\n", function () {
      process.exit(1);
    });
  }
  process.stdin.setEncoding("utf8");
  process.stdin.on("data", function (text) {
    received += text;
    var end = received.indexOf("\n");
    if (end >= 0) answer(readId(received.slice(0, end)));
    else if (received.length > longestLine) answer(null);
  });
  process.stdin.on("end", function () {
    if (!isAnswered) process.exit(1);
  });
}

if (isOlder(process.versions.node, needed)) {
  var sentence =
    "Thoughtbox needs Node.js " +
    needed +
    " or newer, this is " +
    process.versions.node +
    ". Install a newer Node.js and start it again.";
  process.stderr.write("thoughtbox: " + sentence + "\n");
  process.exitCode = 1;
  if (isAskedForStdio()) refuseOverStdio(sentence);
} else if (process.argv[2] === "hook" && process.argv.indexOf("--help") < 0) {
  require("./hook.js");
} else {
  require("./program.js");
}
