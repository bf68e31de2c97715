// Speaks to the engine's worker without the page. These functions are sent to the browser as text and run there.

/**
 * Run before the page: keeps the columns that the page asks for, because only it can make them from a scenario.
 *
 * Messages are in postcard's format. A request to run is its number, 0 for "run", the column, and three bytes: the run's
 * key and two options. A column starts with its position.
 */
export const listen = () => {
  const post = Worker.prototype.postMessage;
  window.planned = [];
  Worker.prototype.postMessage = function (message, ...rest) {
    if (message?.kind === "Run") {
      const bytes = Array.from(message.m);
      const column = bytes.slice(bytes.findIndex((byte) => byte < 0x80) + 2, -3);
      window.planned[column[0]] = column;
    }
    return post.call(this, message, ...rest);
  };
};

/** Asks a fresh worker for the columns of the page's scenario under many seeds; returns its answers. */
export const askSeeds = ([count, columns]) => {
  const varint = (number) => (number < 0x80 ? [number] : [(number & 0x7f) | 0x80, ...varint(number >>> 7)]);
  const planned = columns.map((column) => window.planned[column]);
  const request = [1, 1, planned.length, ...planned.flat(), 1, ...varint(count)];

  const readRows = (bytes) => {
    const view = new DataView(bytes.buffer, bytes.byteOffset);
    let at = 0;
    const number = () => {
      let value = 0n;
      for (let shift = 0n; ; shift += 7n) {
        const byte = bytes[at++];
        value |= BigInt(byte & 0x7f) << shift;
        if (byte < 0x80) {
          return Number(value);
        }
      }
    };
    const list = (item) => Array.from({ length: number() }, item);
    const text = () => {
      const length = number();
      at += length;
      return new TextDecoder().decode(bytes.subarray(at - length, at));
    };
    const float = () => view.getFloat64((at += 8) - 8, true);
    number(); // the request
    number(); // the kind of answer
    const metrics = list(() => ({ key: text(), label: text(), unit: text(), decimals: bytes[at++] }));
    const rows = list(() => ({ column: number(), seed: number(), trace_hash: text(), values: list(float) }));
    return { metrics, rows };
  };

  return new Promise((resolve, reject) => {
    const worker = new Worker("worker_loader.js");
    const answers = [];
    worker.onerror = (event) => reject(new Error(event.message));
    worker.onmessage = ({ data }) => {
      if (data.kind === "Ready") {
        worker.postMessage({ kind: "Seeds", m: Uint8Array.from(request) });
        return;
      }
      answers.push(data.kind === "SeedRows" ? { SeedRows: readRows(data.m) } : data.kind);
      if (data.kind !== "Progress" && data.kind !== "SeedRows") {
        worker.terminate();
        resolve(answers);
      }
    };
  });
};

/** The rows in the answers, by column and seed. */
export const rowsOf = (answers, column) =>
  answers
    .flatMap((answer) => answer.SeedRows?.rows ?? [])
    .filter((row) => row.column === column)
    .toSorted((a, b) => Number(a.seed) - Number(b.seed));
