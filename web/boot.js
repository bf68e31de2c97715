// Starts the page. A file of its own, because a strict content security policy forbids inline scripts.
const tag = document.querySelector("script[data-js]");
const root = document.documentElement;
const here = (path) => new URL(path, document.baseURI);

/** The address of the part that comes after the first chart; none where the page is in one piece. */
const later = tag.dataset.later && here(tag.dataset.later);

/** Puts the later part beside the first one, whose exports are given. To do that twice changes nothing. */
const join = (module, first) => WebAssembly.instantiate(module, { first });

// A function of the later part is called before that is here, which nothing does by itself and a visitor in a hurry may.
// The caller cannot wait, so the browser does.
self.later = (slot, first) => {
  performance.mark("later", { detail: slot });
  const request = new XMLHttpRequest();
  request.open("GET", later, false);
  request.overrideMimeType("text/plain; charset=x-user-defined");
  request.send();
  const bytes = Uint8Array.from(request.responseText, (letter) => letter.charCodeAt(0));
  new WebAssembly.Instance(new WebAssembly.Module(bytes), { first });
};

/** Comes when the first chart is drawn, or somebody touches the page before. */
const drawn = new Promise((come) => {
  new MutationObserver(come).observe(root, { attributeFilter: ["data-drawn"] });
  for (const kind of ["pointerdown", "keydown"]) {
    addEventListener(kind, come, { capture: true, once: true });
  }
});

/** Brings the later part, however often it takes. */
const whole = async (first) => {
  for (let wait = 1000; ; wait *= 2) {
    try {
      return await join(await WebAssembly.compileStreaming(fetch(later)), first);
    } catch {
      await new Promise((come) => setTimeout(come, wait));
    }
  }
};

const { default: start } = await import(here(tag.dataset.js));
const first = await start({ module_or_path: here(tag.dataset.wasm) });
if (later) {
  await drawn;
  await whole(first);
}
root.dataset.whole = "";
dispatchEvent(new Event("whole"));

// Only a hosted build names itself; there the page is kept for use without a network.
if (document.querySelector('meta[name="runqueue-build"]') && "serviceWorker" in navigator) {
  navigator.serviceWorker.register(here("sw.js"));
}
