/** Status of a host. A lost one comes back by itself when its agent reports again; a retired one never does. */
export const HostStatus = { ENROLLED: 0, ONLINE: 1, LOST: 2, RETIRED: 3 } as const;
export type HostStatusName = keyof typeof HostStatus;
export type HostStatus = (typeof HostStatus)[HostStatusName];

export const hostStatuses = Object.values(HostStatus);
