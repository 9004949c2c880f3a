/** For tools of the workshop: prints how one is used and ends it, if that is what it was asked. */
export function helpOnRequest(usage: string): void {
  if (!process.argv.includes('--help')) return;
  console.log(usage);
  process.exit(0);
}
