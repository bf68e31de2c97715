// Starts the engine's module in a worker. The query names the build, so that page and engine are of the same one.
importScripts("./worker.js" + self.location.search);
wasm_bindgen({ module_or_path: "./worker_bg.wasm" + self.location.search }).catch((error) => {
  // Thrown outside of the promise it reaches the page as an error of the worker, which can then say so.
  setTimeout(() => {
    throw error;
  });
});
