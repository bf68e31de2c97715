// Starts the page. A file of its own, because a strict content security policy forbids inline scripts.
const tag = document.querySelector("script[data-js]");
const here = (path) => new URL(path, document.baseURI);

const { default: start } = await import(here(tag.dataset.js));
await start({ module_or_path: here(tag.dataset.wasm) });

// Only a hosted build names itself; there the page is kept for use without a network.
if (document.querySelector('meta[name="runqueue-build"]') && "serviceWorker" in navigator) {
  navigator.serviceWorker.register(here("sw.js"));
}
