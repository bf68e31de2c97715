// What every way to start a browser here has in common.

/** Flags that keep Chromium from phoning home and let it run as root in a container. */
export const CHROMIUM_FLAGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--disable-quic",
];

/** The value of a variable that `cargo xtask test` sets. */
export const given = (name) => {
  const value = process.env[name];
  if (!value) {
    throw new Error(`${name} is not set: start this by \`cargo xtask test --only chromium\`, or set it yourself`);
  }
  return value;
};
