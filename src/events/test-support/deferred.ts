/** Does what `Promise.withResolvers` does, which Node.js 20 does not have. */
export function defer<Value = void>() {
  let resolve!: (value: Value) => void;
  const promise = new Promise<Value>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
