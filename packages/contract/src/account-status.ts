/** `status` of an account. Every call of a suspended or closed one is answered 403. */
export const AccountStatus = { ACTIVE: 0, SUSPENDED: 1, CLOSED: 2 } as const;
export type AccountStatusName = keyof typeof AccountStatus;
export type AccountStatus = (typeof AccountStatus)[AccountStatusName];

export const accountStatuses = Object.values(AccountStatus);
