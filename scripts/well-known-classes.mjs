// Table of the well-known classes: their sources and expected hashes.

/** The crates.io package that publishes the class files. */
export const PACKAGE = {
  name: 'starknet-devnet-core',
  version: '0.10.1',
  sha256: '90a812402229fb3d25d952952723bad599eae517d2a17bcfd88c508007ef21a3',
  licence: {
    file: 'LICENSE',
    sha256: 'c0a1b8b2d4660a9d0254cd420b6034c19ad817dd65199d574880e67127fcbb19',
  },
};

/** The name of the package in texts. */
export const LABEL = `${PACKAGE.name} ${PACKAGE.version}`;

/** Authors and licences of the classes, and the package of ours that holds them. */
export const FAMILIES = {
  openzeppelin: {
    title: 'OpenZeppelin Contracts for Cairo',
    package: 'engine',
    licence: 'MIT',
    author: 'Copyright (c) Zeppelin Group Ltd.',
    source: 'https://github.com/OpenZeppelin/cairo-contracts',
    remark: `The MIT terms are those of the text in \`LICENSE-${PACKAGE.name}\`, with this copyright line.`,
  },
  starkgate: {
    title: 'StarkGate tokens',
    package: 'engine',
    licence: 'Apache-2.0',
    author: 'Copyright StarkWare Industries Ltd.',
    source: 'https://github.com/starknet-io/starkgate-contracts',
    remark: 'Terms: https://www.apache.org/licenses/LICENSE-2.0',
  },
  argent: {
    title: 'Argent accounts',
    package: 'argent-classes',
    licence: 'GPL-3.0-only',
    author: 'By Argent.',
    source:
      'https://github.com/argentlabs/argent-contracts-starknet/tree/1352198956f36fb35fa544c4e46a3507a3ec20e3',
    remark:
      'The terms are in `LICENSE` of the package. The corresponding source is at the address above.',
  },
};

/**
 * @typedef {object} Entry
 * @property {string} name the name in the build output
 * @property {string} file path inside the package
 * @property {string} sha256 of that file
 * @property {string} classHash canonical hex
 * @property {'sierra' | 'cairo0'} kind
 * @property {keyof typeof FAMILIES} family whose licence it carries
 */

/** @type {readonly Entry[]} */
export const CLASSES = [
  {
    name: 'account-cairo0',
    file: 'contracts/accounts_artifacts/OpenZeppelin/0.5.1/Account.cairo/Account.json',
    sha256: '670537bd724077eee13af97ef4e55d264d7cf1bbc70ed8b9aa51981b96db215e',
    classHash: '0x4d07e40e93398ed3c76981e72dd1fd22557a78ce36c0515f679e27f0bb5bc5f',
    kind: 'cairo0',
    family: 'openzeppelin',
  },
  {
    name: 'account',
    file: 'contracts/accounts_artifacts/OpenZeppelin/1.0.0/Account.cairo/Account.sierra',
    sha256: 'c39668e9d6a8a05995c0a3d1214f3cba629b15582711ebed53aa51902dea2daa',
    classHash: '0x5b4b537eaa2399e3aa99c4e2e0208ebd6c71bc1467938cd52c798c601e43564',
    kind: 'sierra',
    family: 'openzeppelin',
  },
  {
    name: 'strk',
    file: 'contracts/system_artifacts/erc20_strk.sierra',
    sha256: '77d5cb275823007f8bc4ef693bf1caa7bc0b67d4f6cb3150326031fc1dce8789',
    classHash: '0x2e77ee61d4df3d988ee1f42ea5442e913862cc82c2584d212ecda76666498fc',
    kind: 'sierra',
    family: 'starkgate',
  },
  {
    name: 'eth',
    file: 'contracts/system_artifacts/erc20_eth.sierra',
    sha256: 'e6a95238d6c5bc6d536eb1ee304256bbd077734d8f2777df555fd247d51009f5',
    classHash: '0xb45dbc3714180381c5680e41931172d67194d77d504413465390e0bef194ec',
    kind: 'sierra',
    family: 'starkgate',
  },
  {
    name: 'udc-cairo0',
    file: 'contracts/system_artifacts/UDC_OZ_0.5.0.json',
    sha256: '055fb6117a61e79823a86e1d118dda16a3399059ec0ac740bd86a2fe0f04f1bd',
    classHash: '0x7b3e05f48f0c69e4a65ce5e076a66271a527aff2c34ce1083ec6e1526997a69',
    kind: 'cairo0',
    family: 'openzeppelin',
  },
  {
    name: 'udc',
    file: 'contracts/system_artifacts/udc_2.sierra',
    sha256: '452866adabdafa1b9ec09ba9de5077707ccfd45c66073427242b4d9064f91277',
    classHash: '0x1b2df6d8861670d4a8ca4670433b2418d78169c2947f46dc614e69f333745c8',
    kind: 'sierra',
    family: 'openzeppelin',
  },
  {
    name: 'argent',
    file: 'contracts/accounts_artifacts/Argent/argent_0.4.0.sierra',
    sha256: 'd4a75ce7474d22ac03046bbbdab090213cec1b6747d831530f2981c179c64754',
    classHash: '0x36078334509b514626504edc9fb252328d1a240e4e948bef8d0c08dff45927f',
    kind: 'sierra',
    family: 'argent',
  },
  {
    name: 'argent-multisig',
    file: 'contracts/accounts_artifacts/Argent/argent_multisig_0.2.0.sierra',
    sha256: 'f1d37c2fb67b64acfe2b308e198dd1198e40399b8b3904377b250c05f8c8d958',
    classHash: '0x7aeca3456816e3b833506d7cc5c1313d371fbdb0ae95ee70af72a4ddbf42594',
    kind: 'sierra',
    family: 'argent',
  },
];

/** The packages of ours that hold classes. */
export const HOLDERS = [...new Set(Object.values(FAMILIES).map((family) => family.package))];

/**
 * @param {string} holder a package of ours
 * @returns {readonly Entry[]} the classes that it holds
 */
export function classesOf(holder) {
  return CLASSES.filter(({ family }) => FAMILIES[family].package === holder);
}

/**
 * @param {string} holder a package of ours
 * @returns {string} its notice for classes of other authors
 */
export function notice(holder) {
  const entries = Object.entries(FAMILIES).filter(([, family]) => family.package === holder);
  const families = entries.map(([key, family]) => {
    const names = CLASSES.filter((entry) => entry.family === key).map(
      (entry) => `- \`${entry.name}\`: \`${entry.file}\`, class hash \`${entry.classHash}\``,
    );
    return [
      `## ${family.title}`,
      '',
      `Licence: ${family.licence}. ${family.author} Source: ${family.source}`,
      '',
      family.remark,
      '',
      ...names,
      '',
    ].join('\n');
  });
  return [
    '# Classes of others',
    '',
    'These contract classes were not written for Starkbox. They were taken from the crates.io package',
    `${LABEL}, whose own licence is in \`LICENSE-${PACKAGE.name}\`. Cairo 0 classes are as the`,
    'package has them; Sierra classes had their debug information removed and their ABI written as one',
    'string, which keeps the class hash. The `.class` files hold each with its CASM.',
    '',
    ...families,
  ].join('\n');
}
