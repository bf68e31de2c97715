// Takes the place of the service worker of a hosted build that once stood at this address, and removes it.
self.addEventListener("install", () => self.skipWaiting());
self.addEventListener("activate", (event) => {
  const leave = async () => {
    const names = await caches.keys();
    await Promise.all(names.filter((name) => name.startsWith("runqueue-")).map((name) => caches.delete(name)));
    await self.registration.unregister();
    const pages = await self.clients.matchAll({ type: "window" });
    await Promise.all(pages.map((page) => page.navigate(page.url)));
  };
  event.waitUntil(leave());
});
