const DAY_MS = 86_400_000;

/** Days left to claim the welcome offer, rounded up; 0 once it has expired or been claimed. */
export const toWelcomeDays = (
  user: { created_at: string; welcome_claimed_at: string | null },
  welcomeDays: number,
  nowMs: number,
): number => {
  if (user.welcome_claimed_at !== null) return 0;
  const endMs = Date.parse(user.created_at) + welcomeDays * DAY_MS;
  return Math.min(welcomeDays, Math.max(0, Math.ceil((endMs - nowMs) / DAY_MS)));
};
