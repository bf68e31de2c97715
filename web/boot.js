// Starts the page. A file of its own, because a strict content security policy forbids inline scripts.
const tag = document.querySelector("script[data-js]");
const root = document.documentElement;
const here = (path) => new URL(path, document.baseURI);

/** The address of the part that comes after the first chart; none where the page is in one piece. */
const later = tag.dataset.later && here(tag.dataset.later);

const compile = () => WebAssembly.compileStreaming(fetch(later));

/** The later part, once it is compiled: at once where a service worker has kept the page. */
let part;

// A function of the later part is called before that is here, which nothing does by itself and a visitor in a hurry may.
// The caller cannot wait, so the browser does. Such a request never asks the service worker.
self.later = (slot, first) => {
  performance.mark("later", { detail: slot });
  if (!part) {
    const request = new XMLHttpRequest();
    request.open("GET", later, false);
    request.overrideMimeType("text/plain; charset=x-user-defined");
    request.send();
    part = new WebAssembly.Module(Uint8Array.from(request.responseText, (letter) => letter.charCodeAt(0)));
  }
  new WebAssembly.Instance(part, { first });
};

/** Comes when the first chart is drawn, or somebody touches the page before. */
const drawn = new Promise((come) => {
  new MutationObserver(come).observe(root, { attributeFilter: ["data-drawn"] });
  for (const kind of ["pointerdown", "keydown"]) {
    addEventListener(kind, come, { capture: true, once: true });
  }
});

/** Puts the later part beside the first one, however often it takes. To do so twice changes nothing. */
const complete = async (first) => {
  for (let wait = 1000; ; wait *= 2) {
    try {
      part ??= await compile();
      await WebAssembly.instantiate(part, { first });
      return;
    } catch {
      await new Promise((come) => setTimeout(come, wait));
    }
  }
};

if (later && navigator.serviceWorker?.controller) {
  part = await compile().catch(() => undefined);
}
const { default: start } = await import(here(tag.dataset.js));
const first = await start({ module_or_path: here(tag.dataset.wasm) });
if (later) {
  await drawn;
  await complete(first);
}
root.dataset.whole = "";
dispatchEvent(new Event("whole"));

// Only a hosted build names itself; there the page is kept for use without a network.
if (document.querySelector('meta[name="runqueue-build"]') && "serviceWorker" in navigator) {
  navigator.serviceWorker.register(here("sw.js"));
}
