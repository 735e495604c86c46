"""Names that have a meaning already where generated code is compiled."""

from __future__ import annotations

_KEYWORDS = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class compl
const constexpr const_cast continue decltype default delete do double dynamic_cast else enum explicit export
extern false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr
operator or or_eq private protected public register reinterpret_cast return short signed sizeof static
static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename
union unsigned using virtual void volatile wchar_t while xor xor_eq
"""
CPP_KEYWORDS = frozenset(_KEYWORDS.split())

CPP_GLOBALS = frozenset({"at", "c10", "main", "std", "torch"})
"""What C++ and torch have in the scope where generated names are declared."""

_INTEGERS = (f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64, "ptr", "max"))
CPP_TYPES = frozenset(_INTEGERS) | {"ptrdiff_t", "size_t", "va_list"}
"""Types that generated C++ uses without a namespace."""

_C_FUNCTIONS = """
abort abs acos acosh asin asinh atan atan2 atanh atexit atof atoi atol bsearch calloc cbrt ceil clock
copysign cos cosh ctime difftime div erf erfc exit exp exp2 expm1 fabs fclose fdim feof ferror fflush fgetc
fgetpos fgets floor fma fmax fmin fmod fopen fprintf fputc fputs fread free freopen frexp fscanf fseek
fsetpos ftell fwrite getc getchar getenv gets gmtime hypot ilogb index isalnum isalpha iscntrl isdigit
isgraph islower isprint ispunct isspace isupper isxdigit labs ldexp ldiv lgamma llabs lldiv llrint llround
localtime log log10 log1p log2 logb lrint lround malloc memchr memcmp memcpy memmove memset mktime modf nan
nearbyint nextafter perror pow printf putc putchar puts qsort raise rand realloc remainder remove remquo
rename rewind rindex rint round scalbln scalbn scanf setbuf setvbuf signal sin sinh snprintf sprintf sqrt
srand sscanf strcat strchr strcmp strcoll strcpy strcspn strerror strftime strlen strncat strncmp strncpy
strpbrk strrchr strspn strstr strtod strtok strtol strtoul strxfrm system tan tanh tgamma time tmpfile
tmpnam tolower toupper trunc ungetc vprintf
"""
C_FUNCTIONS = frozenset(_C_FUNCTIONS.split())
"""Functions of the C library, which are in the global scope as kernel entries are."""

_MACROS = """
EOF ERANGE EXIT_FAILURE EXIT_SUCCESS HUGE_VAL INFINITY NAN NULL RAND_MAX assert errno math_errhandling
offsetof stderr stdin stdout
"""
_NUMBERS = tuple(f"{sign}INT{bits}" for sign in ("", "U") for bits in (8, 16, 32, 64, "PTR", "MAX"))
CPP_MACROS = frozenset(_MACROS.split()) | {
    f"{number}_{part}" for number in _NUMBERS for part in ("MIN", "MAX", "C")
}
"""Macros of the headers that generated code includes: no scope keeps a name apart from them."""

ACLNN_RESERVED = frozenset({"workspace", "workspaceSize", "executor", "stream"})
"""Parameters that the two-phase aclnn interface adds to every operator."""

SDK_CLASSES = frozenset({"OpAICoreConfig", "OpAICoreDef", "OpAttrDef", "OpDef", "OpParamDef"})
"""Classes of the host SDK in the namespace where the class of an operator's definition stands."""

GENERATED_TYPES = frozenset(
    {
        *("Arith", "Attributes", "Call", "Chip", "Contract", "DimRun", "Dims", "Inputs", "List"),
        *("OutputOrEmpty", "Outputs", "Run", "Sizes", "Symbols", "Tensor"),
    }
)
"""Types that generated C++ has of its own."""

GENERATED_PREFIXES = ("ATTR_", "DEFAULT_", "INPUT_", "INVALID_", "OUTPUT_", "UNKNOWN_")
"""How constants begin that generated C++ has of its own."""
