import process from 'node:process'

/**
 * A program that runs `informers:import --dry-run` for one file after another, and prints for each,
 * on a line of JSON, what the command printed, its exit code, and the most memory of the process so
 * far. Its arguments are the URL of the service and the files; Node runs it with `--expose-gc`.
 */
const [, , url = '', ...files] = process.argv
const KIBIBYTES = 1024

for (const file of files) {
  globalThis.gc?.() // what the file before has left is not of this one
  const printed = { stdout: '', stderr: '' }
  console.log = (text: string) => void (printed.stdout += `${text}\n`)
  console.error = (text: string) => void (printed.stderr += `${text}\n`)
  process.argv = [process.execPath, 'informers-import', url, file, '--dry-run']
  process.exitCode = 0

  // a command runs when its module is evaluated; the query makes it a new module
  await import(`../../scripts/informers-import.ts?${file}`)

  const { exitCode: code } = process
  const megabytes = process.resourceUsage().maxRSS / KIBIBYTES
  process.stdout.write(`${JSON.stringify({ code, ...printed, megabytes })}\n`)
}
process.exitCode = 0
