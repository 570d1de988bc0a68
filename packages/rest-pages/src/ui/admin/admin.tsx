import { Skeleton } from '@steward/page-kit'
import { useRoute } from 'preact-iso'
import type { ComponentType } from 'preact'
import { Problem } from '../components/problem.js'
import { t } from '../lib/i18n.js'
import { pathToSection, sectionsOf, type Section } from '../lib/sections.js'
import { useAsked } from '../lib/use-asked.js'
import '../styles/admin.css'
import '../styles/record.css'
import { NotFound } from '../views/not-found.js'
import { readAdmin, type Admin } from './context.js'
import { Group } from './group.js'
import { Groups } from './groups.js'
import { Parameters } from './parameters.js'
import { Tasks } from './tasks.js'
import { User } from './user.js'
import { Users } from './users.js'
import { Webhook } from './webhook.js'
import { Webhooks } from './webhooks.js'

export interface SectionProps {
  readonly admin: Admin
}

export interface OneProps extends SectionProps {
  readonly id: string
}

const lists: Readonly<Record<Section, ComponentType<SectionProps>>> = {
  users: Users,
  groups: Groups,
  webhooks: Webhooks,
  tasks: Tasks,
  parameters: Parameters,
}
const ones: Readonly<Partial<Record<Section, ComponentType<OneProps>>>> = {
  users: User,
  groups: Group,
  webhooks: Webhook,
}

/** The administration, at `/ui/_admin/<section>` and `/ui/_admin/<section>/<row_id>`. */
export function Administration() {
  const { section = '', id = '' } = useRoute().params
  const { data: admin, failure, reload } = useAsked('admin', readAdmin)
  if (failure !== undefined) return <Problem failure={failure} onRetry={reload} />
  if (!admin) return <Skeleton lines={8} />
  const sections = sectionsOf(admin.objects)
  const here = sections.find((one) => one === section)
  const [List, One] = here ? [lists[here], ones[here]] : []
  return (
    <div class="admin">
      <nav class="admin-sections" aria-label={t('admin.title')}>
        {sections.map((one) => (
          <a key={one} href={pathToSection(one)} aria-current={one === here ? 'page' : undefined}>
            {t(`admin.${one}`)}
          </a>
        ))}
      </nav>
      {id === '' && List ? (
        <List key={section} admin={admin} />
      ) : One ? (
        <One key={id} admin={admin} id={id} />
      ) : (
        <NotFound />
      )}
    </div>
  )
}
