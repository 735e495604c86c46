// Before the toolkit's header of this name: the template arguments of a tiling key have to be known here.
#include "include/ascendc/host_api/tiling/template_argument.h"
