# %% abs2
def abs2_gradient(z):
    return 2 * z

# %% root
def root_gradient(z):
    return np.conj(2 * z) * 2 * (z**2 + c)

# %% exponential
def exponential_vjp(z, g):
    return np.conj(k * np.exp(k * z)) * g

# %% general
def general_vjp(z, g):
    return np.conj(m * z ** (m - 1)) * z**n * g + z**m * n * np.conj(z) ** (n - 1) * np.conj(g)

# %% modulus
def modulus_vjp(z, g):
    r = np.abs(z)
    return np.divide(z, r, out=np.zeros_like(z), where=r > 0) * g

# %% matrices
def least_squares_gradients(A, z, t):
    r = 2 * (A @ z - t)
    return np.outer(r, np.conj(z)), A.conj().T @ r

# %% tape
class Number:
    def __init__(self, value, pay=lambda g: None):
        self.value, self.grad, self.pay = value, 0, pay
        self.made_of: tuple = ()

    def __mul__(self, other):
        def pay(g):
            self.grad += other.value.conjugate() * g
            other.grad += self.value.conjugate() * g

        product = Number(self.value * other.value, pay)
        product.made_of = (self, other)
        return product

    def abs2(self):
        def pay(g):
            self.grad += 2 * self.value * g

        square = Number(abs(self.value) ** 2, pay)
        square.made_of = (self,)
        return square

# %% mistake
def mended_vjp(z, g):
    return k * np.conj(z ** (k - 1) * g)
