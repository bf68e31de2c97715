// Starts the engine's module in a worker. The query names the build, so that page and engine are of the same one.
const { search } = self.location;
importScripts("./worker.js" + search);

const started = wasm_bindgen({ module_or_path: "./worker_bg.wasm" + search });
started.catch((error) => {
  // Thrown outside of the promise it reaches the page as an error of the worker, which can then say so.
  setTimeout(() => {
    throw error;
  });
});

// A module that is cut in two says so by the function that brings its later part. Runs need only the first part;
// whatever else the page asks for waits for the later one, and so does all that comes behind it.
let held;
const hold = (event) => {
  if (!held && event.data.kind === "Run") {
    return;
  }
  event.stopImmediatePropagation();
  if (held) {
    held.push(event.data);
    return;
  }
  held = [event.data];
  complete();
};

const complete = async () => {
  try {
    const part = await WebAssembly.compileStreaming(fetch("./worker_later.wasm" + search));
    await WebAssembly.instantiate(part, { first: await started });
  } catch {
    // Whatever needs the later part tries again, and tells when it fails.
  }
  removeEventListener("message", hold);
  for (const data of held) {
    dispatchEvent(new MessageEvent("message", { data }));
  }
};

if (self.isCut) {
  addEventListener("message", hold);
}

// Called when a run needs a function of the later part all the same. A worker may wait for it.
self.later = (slot, first) => {
  performance.mark("later", { detail: slot });
  const request = new XMLHttpRequest();
  request.open("GET", "./worker_later.wasm" + search, false);
  request.responseType = "arraybuffer";
  request.send();
  new WebAssembly.Instance(new WebAssembly.Module(request.response), { first });
};
