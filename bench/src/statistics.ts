/** Sorted ascending; share in [0, 1]. */
export const toQuantile = (values: readonly number[], share: number): number => {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
};

export const toMedian = (values: readonly number[]): number => toQuantile(values, 0.5);

/** Three significant digits: more would claim what a shared machine cannot give. */
export const toRounded = (value: number): number => Number(value.toPrecision(3));
