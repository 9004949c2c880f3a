/** The addresses that a listener serves, as lines to print. */
export function addressLines(url: string): readonly string[] {
  const base = url.replace(/\/$/, '');
  return [
    `  Backstep  ${base}`,
    `  Console   ${base}/console/`,
    `  API       ${base}/docs (OpenAPI: ${base}/openapi.json)`,
    `  Hosts     ${base}/modules/resource/hosts`,
    `  Metrics   ${base}/metrics`,
  ];
}
