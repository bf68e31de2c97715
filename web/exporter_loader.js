// Starts the exporter's module in a worker. The query names the build, so that page and exporter are of the same one.
importScripts("./exporter.js" + self.location.search);
wasm_bindgen({ module_or_path: "./exporter_bg.wasm" + self.location.search }).catch((error) => {
  // Thrown outside of the promise it reaches the page as an error of the worker, which can then say so.
  setTimeout(() => {
    throw error;
  });
});
