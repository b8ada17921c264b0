/** A time that no test reaches, and for which a task may be planned: `2026-12-31T08:15:30.000Z`. */
export const farAhead = new Date(Math.floor(Date.now() / 1000) * 1000 + 300 * 86_400_000).toISOString();
