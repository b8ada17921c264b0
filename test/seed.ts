/** What tests choose by chance they choose by this number: the same each time, or another one that `BERTH_TEST_SEED` names. */
const text = process.env.BERTH_TEST_SEED ?? '1';
if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error(`BERTH_TEST_SEED must be a whole number from 1 on, not "${text}"`);

export const testSeed = Number(text);

/** For the message of a failure: how to try the same again. */
export const toRepeat = (): string => `with BERTH_TEST_SEED=${testSeed}`;
