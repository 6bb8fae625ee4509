/** An address from data: a link if it is one of the web, and otherwise a text. */
export function WebAddress({ address }: { readonly address: string }) {
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address)) return <span>{address}</span>;
  return (
    <a href={address} rel="noreferrer noopener" target="_blank">
      {address}
    </a>
  );
}
