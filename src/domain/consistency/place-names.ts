/** Country names in lower case, from the runtime's ISO 3166 data rather than a list in this file. */
const countries = new Set<string>();
const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });
const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZ');
for (const first of letters)
  for (const second of letters) {
    const name = names.of(first + second);
    if (name !== undefined) countries.add(name.toLowerCase());
  }

/** Short country names, parts of countries, and groups of countries: other places can lie within these. */
const REGIONS = new Set(
  (
    'uk|britain|great britain|england|scotland|wales|northern ireland|us|usa|america|holland|turkey|uae|korea|czech republic|eu|' +
    'europe|asia|africa|north america|south america|latin america|oceania|scandinavia|bavaria|saxony|catalonia|tuscany|' +
    'alabama|alaska|arizona|arkansas|california|colorado|connecticut|delaware|florida|hawaii|idaho|illinois|indiana|iowa|' +
    'kansas|kentucky|louisiana|maine|maryland|massachusetts|michigan|minnesota|mississippi|missouri|montana|nebraska|nevada|' +
    'new hampshire|new jersey|new mexico|north carolina|north dakota|ohio|oklahoma|oregon|pennsylvania|rhode island|' +
    'south carolina|south dakota|tennessee|texas|utah|vermont|virginia|west virginia|wisconsin|wyoming|ontario|quebec'
  ).split('|'),
);

/** Whether one of two places (in lower case) could contain the other or be another name for it, judged by region names only. */
export function mayOverlap(left: string, right: string): boolean {
  if (REGIONS.has(left) || REGIONS.has(right)) return true;
  return countries.has(left) !== countries.has(right);
}
