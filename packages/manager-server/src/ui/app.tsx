import type { ComponentType } from 'preact'
import { lazy, LocationProvider, Route, Router } from 'preact-iso'
import { ViewFailed } from '@steward/page-kit'
import { Shell } from './components/shell.js'
import { uiPath } from './lib/addresses.js'
import { Instances } from './views/instances.js'
import { NotFound } from './views/not-found.js'

const Instance = view(() => import('./views/instance.js').then(({ Instance: view }) => view))
const Monitor = view(() => import('./views/monitor.js').then(({ Monitor: view }) => view))
const Operations = view(() => import('./views/operations.js').then(({ Operations: view }) => view))
const Operation = view(() => import('./views/operation.js').then(({ Operation: view }) => view))
const Requests = view(() => import('./views/requests.js').then(({ Requests: view }) => view))
const History = view(() => import('./views/history.js').then(({ History: view }) => view))
const Trash = view(() => import('./views/trash.js').then(({ Trash: view }) => view))
const Terminal = view(() => import('./views/terminal.js').then(({ Terminal: view }) => view))

/** Loaded when it is first shown. The list of instances is there at once: most people begin with it. */
function view(load: () => Promise<ComponentType>): ComponentType {
  return lazy(() => load().catch(() => ViewFailed))
}

/** Views by address. */
export function App() {
  return (
    <LocationProvider scope={uiPath}>
      <Shell>
        <Router>
          <Route path={`${uiPath}/`} component={Instances} />
          <Route path={`${uiPath}/instances/:name/:tab?`} component={Instance} />
          <Route path={`${uiPath}/monitor`} component={Monitor} />
          <Route path={`${uiPath}/operations`} component={Operations} />
          <Route path={`${uiPath}/operations/:id`} component={Operation} />
          <Route path={`${uiPath}/requests`} component={Requests} />
          <Route path={`${uiPath}/history`} component={History} />
          <Route path={`${uiPath}/trash`} component={Trash} />
          <Route path={`${uiPath}/terminal`} component={Terminal} />
          <Route default component={NotFound} />
        </Router>
      </Shell>
    </LocationProvider>
  )
}
