/**
 * Runs before the first paint, so that no page flashes in the wrong colours. The choice is 'light', 'dark' or nothing,
 * which means what the system says (`theme.ts` keeps it).
 */
(() => {
  let choice = null;
  try {
    choice = localStorage.getItem('berth-theme');
  } catch {
    // Storage may be forbidden: then the system decides.
  }
  const isLight = choice === 'light' || (choice !== 'dark' && matchMedia('(prefers-color-scheme: light)').matches);
  document.documentElement.dataset.theme = isLight ? 'light' : 'dark';
})();
