// Watches what page and workers say to each other. These functions are sent to the browser as text and run there.
// Messages are read only by their kind, and by the trace hashes that stand in them as text.

/** Run before the page: keeps the hashes of all runs of many seeds, and the newest request for such runs. */
export const watch = () => {
  window.watched = { hashes: [], request: null };
  const hashes = (message) => {
    const text = Array.from(message.m, (byte) => String.fromCharCode(byte)).join("");
    return [...text.matchAll(/\x10([0-9a-f]{16})/g)].map((found) => found[1]);
  };
  window.hashesIn = hashes;
  window.Worker = class extends Worker {
    constructor(...words) {
      super(...words);
      this.addEventListener("message", ({ data }) => {
        if (data.kind === "SeedRows") {
          window.watched.hashes.push(...hashes(data));
        }
      });
    }

    postMessage(message, ...rest) {
      if (message?.kind === "Seeds") {
        window.watched.request = message;
      }
      super.postMessage(message, ...rest);
    }
  };
};

/** Sends the newest request for many seeds to a fresh worker, again and again; returns milliseconds for one run. */
export const timeSeeds = (rounds) =>
  new Promise((resolve, reject) => {
    const worker = new Worker("worker_loader.js");
    const { request } = window.watched;
    let left = rounds;
    let runs = 0;
    let start = 0;
    worker.onerror = (event) => reject(new Error(event.message));
    worker.onmessage = ({ data }) => {
      if (data.kind === "SeedRows") {
        runs += window.hashesIn(data).length;
      } else if (data.kind === "Ready" || data.kind === "SeedsDone") {
        if (left === 0) {
          worker.terminate();
          resolve((performance.now() - start) / runs);
          return;
        }
        if (left === rounds - 1) {
          // The first round was for the compiler.
          runs = 0;
          start = performance.now();
        }
        left -= 1;
        worker.postMessage(request);
      }
    };
  });
