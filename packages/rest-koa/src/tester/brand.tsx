import file from '@steward/page-kit/mark.svg'
import { t } from './i18n.js'

const mark = new URL(file, import.meta.url).href

/** The mark, and whose service it is. */
export function Brand({ title }: { title: string }) {
  return (
    <h1 class="brand">
      <img src={mark} alt="" width="28" height="28" />
      {title && <span>{title}</span>}
      <span class={title && 'brand-place'}>{t('title')}</span>
    </h1>
  )
}
