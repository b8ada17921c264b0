import { Columns3 } from 'lucide-react';
import { Button } from '../../parts/button.tsx';
import { Menu, MenuCheck, MenuItem, MenuLine } from '../../parts/menu.tsx';
import { pageTexts } from '../../texts/page-texts.ts';
import { columnNames, resetColumns, switchColumn, useColumns } from './columns.ts';

const words = pageTexts.terminals;

/** Which columns the list has. */
export const ColumnsMenu = () => {
  const shown = useColumns();
  return (
    <Menu
      trigger={
        <Button icon={<Columns3 />} title={words.columnsLabel}>
          {words.chooseColumns(shown.length, columnNames.length)}
        </Button>
      }
    >
      {columnNames.map((name) => (
        <MenuCheck key={name} isOn={shown.includes(name)} onChange={(isOn) => switchColumn(name, isOn)}>
          {words.columns[name]}
        </MenuCheck>
      ))}
      <MenuLine />
      <MenuItem onSelect={resetColumns}>{words.resetColumns}</MenuItem>
    </Menu>
  );
};
