/**
 * Runs before the first paint, so that no page flashes in the wrong colours. The choice is 'light', 'dark' or nothing,
 * which means what the system says (`theme.ts` keeps it). It also chooses what `index.html` shows until the code of the
 * dashboard is loaded.
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
  const isOutside = /\/(sign-in|sign-in-link|set-password|accept-invitation|create-account|forgot-password)$/.test(
    location.pathname,
  );
  document.documentElement.dataset.first = isOutside ? 'outside' : 'frame';
})();
