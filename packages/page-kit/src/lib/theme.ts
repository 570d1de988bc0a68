export type Theme = 'system' | 'light' | 'dark'
export const themes: readonly Theme[] = ['system', 'light', 'dark']

const key = 'steward.theme'

/** What was chosen in the page; without a choice as the system has it. */
export function theme(): Theme {
  try {
    return themes.find((one) => one === localStorage.getItem(key)) ?? 'system'
  } catch {
    return 'system'
  }
}

export function chooseTheme(one: Theme): void {
  try {
    localStorage.setItem(key, one)
  } catch {
    // No storage: it holds until the page is loaded again.
  }
  document.documentElement.dataset['theme'] = one
}

document.documentElement.dataset['theme'] = theme()
