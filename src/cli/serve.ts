import { serve } from '../process/serve.ts'

export async function run(): Promise<undefined> {
  await serve()
}
