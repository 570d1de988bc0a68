import { LocationProvider, Route, Router, useLocation, useRoute } from 'preact-iso'
import { useEffect } from 'preact/hooks'
import { lazyView, preloadWhenIdle } from '@steward/page-kit'
import { IncidentMark } from './components/incident-mark.js'
import { Shell } from './components/shell.js'
import { pathTo, uiPath } from './lib/addresses.js'
import { Instances } from './views/instances.js'
import { NotFound } from './views/not-found.js'

const Instance = lazyView(() => import('./views/instance.js').then(({ Instance: view }) => view))
const Monitor = lazyView(() => import('./views/monitor.js').then(({ Monitor: view }) => view))
const Activity = lazyView(() => import('./views/activity.js').then(({ Activity: view }) => view))
const Operation = lazyView(() => import('./views/operation.js').then(({ Operation: view }) => view))
const Requests = lazyView(() => import('./views/requests.js').then(({ Requests: view }) => view))
const ManagerView = lazyView(() => import('./views/manager.js').then(({ ManagerView: view }) => view))
const Trash = lazyView(() => import('./views/trash.js').then(({ Trash: view }) => view))
const Terminal = lazyView(() => import('./views/terminal.js').then(({ Terminal: view }) => view))

/** Pages of a terminal, or of requests, are of no use without a connection. */
const preloaded = [Instance, Monitor, Activity, Operation, ManagerView, Trash]

/** Operations and the history were pages of their own: their addresses lead to what took their place. */
function Moved() {
  const { query, route } = useLocation()
  const { id } = useRoute().params
  useEffect(() => {
    const { state, ...rest } = query
    // An operation said in other words how it ended.
    const result: Record<string, string> =
      state === undefined ? {} : { result: state === 'succeeded' ? 'ok' : state.replace('_', '-') }
    const wanted = new URLSearchParams({ ...rest, ...result })
    route(
      id === undefined ? `${pathTo('activity')}${wanted.size > 0 ? `?${wanted}` : ''}` : pathTo('activity', id),
      true,
    )
  }, [])
  return null
}

/** Views by address. */
export function App() {
  useEffect(() => void preloadWhenIdle(preloaded), [])
  return (
    <LocationProvider scope={uiPath}>
      <IncidentMark />
      <Shell>
        <Router>
          <Route path={`${uiPath}/`} component={Instances} />
          <Route path={`${uiPath}/instances/:name/:tab?`} component={Instance} />
          <Route path={`${uiPath}/monitor`} component={Monitor} />
          <Route path={`${uiPath}/activity`} component={Activity} />
          <Route path={`${uiPath}/activity/:id`} component={Operation} />
          <Route path={`${uiPath}/operations/:id?`} component={Moved} />
          <Route path={`${uiPath}/requests`} component={Requests} />
          <Route path={`${uiPath}/history`} component={Moved} />
          <Route path={`${uiPath}/manager`} component={ManagerView} />
          <Route path={`${uiPath}/trash`} component={Trash} />
          <Route path={`${uiPath}/terminal`} component={Terminal} />
          <Route default component={NotFound} />
        </Router>
      </Shell>
    </LocationProvider>
  )
}
