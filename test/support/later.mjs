// Loaded into a server before its program (`--import`). Sets its clock STRATALOG_TEST_DAYS_LATER days ahead.
const ahead = Number(process.env.STRATALOG_TEST_DAYS_LATER ?? 0) * 86_400_000;
const RealDate = Date;

globalThis.Date = class Date extends RealDate {
  constructor(...parts) {
    if (parts.length === 0) super(RealDate.now() + ahead);
    else super(...parts);
  }
  static now() {
    return RealDate.now() + ahead;
  }
};
