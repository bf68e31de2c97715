// Starts the engine's module in a worker. The query names the build, so that page and engine are of the same one.
const { search } = self.location;
importScripts("./worker.js" + search);

// Called when the first function is needed that is not in the module's first part. A worker may wait for the other part.
self.later = (slot, first) => {
  performance.mark("later", { detail: slot });
  const request = new XMLHttpRequest();
  request.open("GET", "./worker_later.wasm" + search, false);
  request.responseType = "arraybuffer";
  request.send();
  new WebAssembly.Instance(new WebAssembly.Module(request.response), { first });
};

wasm_bindgen({ module_or_path: "./worker_bg.wasm" + search }).catch((error) => {
  // Thrown outside of the promise it reaches the page as an error of the worker, which can then say so.
  setTimeout(() => {
    throw error;
  });
});
