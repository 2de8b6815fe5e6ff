// Runs changes one after the other, because a page would otherwise show an earlier response that arrives after a later one.

/** @return a function that runs an action once the earlier ones have ended, even by a failure, and resolves to its result */
export function inTurn() {
  let earlier = Promise.resolve();
  return run => {
    const result = earlier.then(run);
    earlier = result.catch(() => {});
    return result;
  };
}
