export * from './account.ts';
export * from './day.ts';
export * from './decimal.ts';
export * from './guard.ts';
export * from './trial.ts';
