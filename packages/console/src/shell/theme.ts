type Theme = 'light' | 'dark';

const STORED = 'quartermaster-theme';

/** What the reader chose here before, or else the system's theme, followed when it changes. */
export function startTheme(): void {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const apply = (): void => {
    const stored = localStorage.getItem(STORED);
    const isDark = stored === null ? system.matches : stored === 'dark';
    document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
  };
  system.addEventListener('change', apply);
  apply();
}

export function currentTheme(): Theme {
  return document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light';
}

export function toggleTheme(): Theme {
  const next: Theme = currentTheme() === 'dark' ? 'light' : 'dark';
  document.documentElement.dataset.theme = next;
  localStorage.setItem(STORED, next);
  return next;
}
