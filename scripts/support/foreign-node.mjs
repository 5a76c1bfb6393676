// Preloaded into Node by scripts/native-foreign.mjs: what a program starts with `process.execPath` is the Node of another system too. That one's
// own path cannot be executed on this system by itself.
process.execPath = process.env.CONSOLE_FOREIGN_NODE;
