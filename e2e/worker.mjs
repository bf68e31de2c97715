// Speaks to the engine's worker without the page. These functions are sent to the browser as text and run there.

/** Run before the page: keeps the columns that the page asks for, because only it can make them from a scenario. */
export const listen = () => {
  const post = Worker.prototype.postMessage;
  window.planned = [];
  Worker.prototype.postMessage = function (message, ...rest) {
    const column = message?.m?.body?.Run?.column;
    if (column) {
      window.planned[column.column] = column;
    }
    return post.call(this, message, ...rest);
  };
};

/** Asks a fresh worker for the columns of the page's scenario under many seeds; returns its answers. */
export const askSeeds = ([count, columns]) =>
  new Promise((resolve, reject) => {
    const worker = new Worker("worker_loader.js");
    const answers = [];
    worker.onerror = (event) => reject(new Error(event.message));
    worker.onmessage = ({ data }) => {
      const { body } = data.m;
      const name = typeof body === "string" ? body : Object.keys(body)[0];
      if (name === "Ready") {
        const planned = window.planned.filter(({ column }) => columns.includes(column));
        worker.postMessage({ m: { id: 1, body: { Seeds: { columns: planned, first_seed: "1", count } } } });
        return;
      }
      answers.push(body);
      if (name !== "Progress" && name !== "SeedRows") {
        worker.terminate();
        resolve(answers);
      }
    };
  });

/** The rows in the answers, by column and seed. */
export const rowsOf = (answers, column) =>
  answers
    .flatMap((answer) => answer.SeedRows?.rows ?? [])
    .filter((row) => row.column === column)
    .toSorted((a, b) => Number(a.seed) - Number(b.seed));
