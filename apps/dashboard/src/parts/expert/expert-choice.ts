import type { StoredFile } from '@berth/client';

/** Experts among the files, newest first: the same program that was uploaded several times is one of them. */
export const toExperts = (files: readonly StoredFile[]): StoredFile[] => {
  const experts = files.filter(({ name }) => /\.ex[45]$/i.test(name));
  return experts.filter(({ sha256 }, at) => experts.findIndex((other) => other.sha256 === sha256) === at);
};
