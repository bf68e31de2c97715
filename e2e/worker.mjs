// Speaks to the engine's worker without the page, in the browser's context. Functions here are sent there as text.

/** Asks a fresh worker one thing and collects its answers until the last. Runs in the page. */
export const ask = (body) =>
  new Promise((resolve, reject) => {
    const worker = new Worker("worker_loader.js");
    const answers = [];
    worker.onerror = (event) => reject(new Error(event.message));
    worker.onmessage = ({ data }) => {
      const answer = data.m.body;
      const name = typeof answer === "string" ? answer : Object.keys(answer)[0];
      if (name === "Ready") {
        worker.postMessage({ m: { id: 1, body } });
        return;
      }
      answers.push(answer);
      if (name !== "Progress" && name !== "SeedRows") {
        worker.terminate();
        resolve(answers);
      }
    };
  });
