import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'

/**
 * Drops the page cache of the system (proc_sys_vm(5), drop_caches), which only root may do. Resolves to whether it was
 * dropped. On a virtual machine, measurements are faster and vary less after it. A likely reason: the first use of
 * memory is a page fault of the host, and the memory of the page cache has been used before.
 */
export async function dropPageCache(): Promise<boolean> {
  await promisify(execFile)('sync')
  return writeFile('/proc/sys/vm/drop_caches', '3').then(
    () => true,
    () => false,
  )
}
