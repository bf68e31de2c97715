// Keeps one build of the page for use without a network. Written by `cargo xtask pwa`.
const CACHE = "runqueue-" + "{build}";
const FILES = [
{files}
];

self.addEventListener("install", (event) => {
  const requests = FILES.map((file) => new Request(file, { cache: "reload" }));
  event.waitUntil(caches.open(CACHE).then((cache) => cache.addAll(requests)));
});

self.addEventListener("activate", (event) => {
  const clean = async () => {
    const names = await caches.keys();
    const old = names.filter((name) => name.startsWith("runqueue-") && name !== CACHE);
    await Promise.all(old.map((name) => caches.delete(name)));
    await self.clients.claim();
  };
  event.waitUntil(clean());
});

// The query names the build and is no part of a file's name; a folder is its index.html.
const cached = async (request) => {
  const cache = await caches.open(CACHE);
  const page = request.mode === "navigate" ? "index.html" : request;
  return (await cache.match(page, { ignoreSearch: true })) ?? fetch(request);
};

self.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method === "GET" && new URL(request.url).origin === self.location.origin) {
    event.respondWith(cached(request));
  }
});
