// Keeps a page from showing an earlier response that arrives after a later one.

/** For changes. @return a function that runs an action once the earlier ones have ended, even by a failure, and resolves to its result */
export function inTurn() {
  let earlier = Promise.resolve();
  return run => {
    const result = earlier.then(run);
    earlier = result.catch(() => {});
    return result;
  };
}

/** For what is only read. @return a function that begins a turn, and returns a function: true until a later turn begins */
export function turns() {
  let latest = 0;
  return () => {
    const turn = ++latest;
    return () => turn === latest;
  };
}
