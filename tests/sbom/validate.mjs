// SPDX-License-Identifier: Apache-2.0
//
// validate.mjs FILE
//
// Validates FILE, a bill of materials, by the JSON schema that CycloneDX publishes for its version, in the
// strict form that allows no unknown members; the package @cyclonedx/cyclonedx-library brings the schemas.
// A schema cannot say that a reference has its component, so that is compared here. Broken copies must be
// refused. NODE_DIR has the packages. Exit status 1, with the reasons, if the file is not valid.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const { Validation } = createRequire(resolve(process.env.NODE_DIR, 'node_modules') + '/')('@cyclonedx/cyclonedx-library')

// Why it is not valid; an empty array if it is.
async function faults (bom) {
  const errors = await new Validation.JsonStrictValidator(bom.specVersion).validate(JSON.stringify(bom)) ?? []
  const known = new Set([bom.metadata.component, ...bom.components].map(component => component['bom-ref']))
  const used = bom.dependencies.flatMap(({ ref, dependsOn }) => [ref, ...dependsOn ?? []])
  return [
    ...errors.map(({ instancePath, message }) => `${instancePath}: ${message}`),
    ...used.filter(ref => !known.has(ref)).map(ref => `dependencies: there is no component ${ref}`)
  ]
}

const [file] = process.argv.slice(2)
const text = readFileSync(file, 'utf8')
const found = await faults(JSON.parse(text))

const broken = {
  'an unknown type': bom => { bom.components[0].type = 'part' },
  'an unknown member': bom => { bom.components[0].colour = 'red' },
  'a hash that is too short': bom => { bom.components[0].hashes[0].content = '12' },
  'a component that is missing': bom => { bom.components.pop() }
}
for (const [what, damage] of Object.entries(broken)) {
  const bom = JSON.parse(text)
  damage(bom)
  if ((await faults(bom)).length === 0) found.push(`${what} is not noticed`)
}

found.forEach(fault => console.error(`${file}: ${fault}`))
if (found.length === 0) console.log(`${file}: valid, ${JSON.parse(text).components.length} components`)
process.exit(found.length > 0 ? 1 : 0)
