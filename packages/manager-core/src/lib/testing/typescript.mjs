// `node --import typescript.mjs program.ts` runs the sources: imports that end in .js find their .ts.
import { existsSync } from 'node:fs'
import { enableCompileCache, registerHooks } from 'node:module'

registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('.') && specifier.endsWith('.js') && context.parentURL?.endsWith('.ts')) {
      const source = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL)
      // Node's own way asks for links and package.json of each.
      if (existsSync(source)) return { url: source.href, format: 'module-typescript', shortCircuit: true }
    }
    return next(specifier, context)
  },
})
enableCompileCache()
