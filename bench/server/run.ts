import { runBenches } from '../manager/run-benches.ts'
import { benchList } from './list.ts'

await runBenches({
  script: 'bench:server',
  about: "Measures the manager's server against a bare Koa route that sends the same.",
  benches: { list: benchList },
})
