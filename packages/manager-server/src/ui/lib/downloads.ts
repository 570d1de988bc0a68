import { toast } from '@steward/page-kit'
import { apiPath, sessionAddress } from './addresses.js'
import { ask } from './ask.js'
import { t } from './i18n.js'
import { sessionKey } from './session-key.js'

/** A link sends no header, so that those to files of the API get a ticket when they are followed. */
export function giveTicketsToDownloads(): void {
  document.addEventListener('click', (event) => {
    const link = (event.target as Element).closest<HTMLAnchorElement>('a[download]')
    if (!link || new URL(link.href).pathname !== apiPath || sessionKey() === undefined) return
    if (new URL(link.href).searchParams.has('ticket')) return
    event.preventDefault()
    void follow(link.href)
  })
}

async function follow(href: string): Promise<void> {
  try {
    const response = await ask(`${sessionAddress}/ticket`, { method: 'POST' })
    const { ticket } = (await response.json()) as { readonly ticket: string }
    const link = document.createElement('a')
    const address = new URL(href)
    address.searchParams.set('ticket', ticket)
    Object.assign(link, { href: address.href, download: '', target: '_blank' })
    document.body.append(link)
    link.click()
    link.remove()
  } catch {
    toast(t('failure.network'), { tone: 'bad' })
  }
}
