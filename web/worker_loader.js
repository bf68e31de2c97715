// Starts the engine's module in a worker. The query names the build, so that page and engine are of the same one.
importScripts("./worker.js" + self.location.search);
wasm_bindgen({ module_or_path: "./worker_bg.wasm" + self.location.search });
