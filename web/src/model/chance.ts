// How likely it is that differences come by accident, when many are looked at (docs/statistics.md).

// Beyond this many standard errors on either side, of a normal distribution.
export function tailOf(errors: number): number {
  const x = Math.abs(errors) / Math.SQRT2;
  const density = Math.exp(-x * x) / Math.sqrt(Math.PI);
  if (x < 2) {
    let term = x;
    let sum = x;
    for (let n = 1; term > sum * 1e-17; ++n) {
      term *= (2 * x * x) / (2 * n + 1);
      sum += term;
    }
    return Math.max(0, 1 - 2 * density * sum);
  }
  let fraction = x; // from its far end to the front
  for (let n = 80; n > 0; --n) fraction = x + n / 2 / fraction;
  return density / fraction;
}

// Holm's correction: with the results below 5 % as the evidence, some of it is wrong in at most 5 % of comparisons of
// equals. What is not a number was not compared, and stays.
export function corrected(probabilities: Float64Array): { probabilities: Float64Array; compared: number } {
  const rows = Array.from(probabilities.keys()).filter((row) => !Number.isNaN(probabilities[row]));
  rows.sort((a, b) => probabilities[a] - probabilities[b]);
  const result = new Float64Array(probabilities.length).fill(NaN);
  let largest = 0;
  rows.forEach((row, rank) => {
    largest = Math.max(largest, Math.min(1, probabilities[row] * (rows.length - rank)));
    result[row] = largest;
  });
  return { probabilities: result, compared: rows.length };
}
